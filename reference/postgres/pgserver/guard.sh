# Runs in the container and ends it when its owner is gone. The owner holds the other end of our
# stdin, which ends when the owner closes it or dies, by SIGKILL too. While the container is
# being set up its first process is a shell that takes no notice, so we ask until we are gone.
echo guarding
while read -r _; do :; done
asked=0
while [ "$asked" -lt 300 ]; do
	kill -QUIT 1 # Postgres: at once, no checkpoint
	sleep 1
	asked=$((asked + 1))
done
