# Runs one Postgres server to throw away until its owner is gone. The owner holds the other end
# of our stdin, which ends when the owner closes it or dies, by SIGKILL too. Whatever ends the
# server, its directory is removed.
#
# $1 directory, which holds the superuser's password; $2 where the binaries are; then the
# server's options.
set -u
dir=$1
bin=$2
shift 2
cd / || exit 1
trap '' PIPE # our output goes to the owner, and with it
exec 3<&0 </dev/null
status=1

# Not interrupted by the owner's end: it takes a second or two.
if "$bin/initdb" -D "$dir/data" --username=postgres --pwfile="$dir/password" \
	--auth=scram-sha-256 --encoding=UTF8 --locale=C --no-sync >/dev/null 3<&-; then
	"$bin/postgres" -D "$dir/data" "$@" 3<&- &
	server=$!
	(
		while read -r _; do :; done
		asked=0 # again, for a server that has just started doesn't hear it yet
		while [ "$asked" -lt 10 ] && kill -QUIT "$server"; do # at once, no checkpoint
			sleep 1
			asked=$((asked + 1))
		done
		kill -KILL "$server"
	) <&3 3<&- >/dev/null 2>&1 &
	reader=$!
	exec 3<&-
	wait "$server"
	status=$?
	kill "$reader" 2>/dev/null
fi
rm -rf "$dir"
exit "$status"
