#!/bin/sh
# Makes the secrets of compose.yml, in the folder secrets beside it, each once: what is there stays.
# The folder is for you alone; the files in it are readable, for the programs have a user of their own.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets

random() { head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

# keep NAME VALUE
keep() {
	[ -s "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"
	chmod 444 "secrets/$1"
}

for role in owner sweep worker; do
	user=seathold_$role
	[ "$role" = owner ] || user=${role}_1
	keep "$role-password" "$(random)"
	keep "$role-url" "postgres://$user:$(cat "secrets/$role-password")@postgres:5432/seathold?sslmode=disable"
done
# What calls of the provider are signed by, as standard-webhooks has it.
keep provider-secret "whsec_$(head -c 32 /dev/urandom | base64)"
