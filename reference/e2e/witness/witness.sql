create schema witness;

create table witness.holds (
	n         bigint generated always as identity primary key,
	hold_id   text not null,
	state_was text,
	state_is  text not null,
	end_was   timestamptz,
	ends_at   timestamptz not null,
	at        timestamptz not null
);

create function witness.hold() returns trigger language plpgsql as $$
begin
	if tg_op = 'INSERT' then
		insert into witness.holds (hold_id, state_is, ends_at, at)
		values (new.hold_id, new.state, new.expires_at, clock_timestamp());
	else
		insert into witness.holds (hold_id, state_was, state_is, end_was, ends_at, at)
		values (new.hold_id, old.state, new.state, old.expires_at, new.expires_at, clock_timestamp());
	end if;
	return null;
end $$;

create trigger witness_begun after insert on seat_holds
for each row execute function witness.hold();

create trigger witness_changed after update on seat_holds
for each row when (old.state <> new.state or old.expires_at <> new.expires_at) execute function witness.hold();

create table witness.outcomes (
	n           bigint generated always as identity primary key,
	hold_id     text not null,
	channel     text not null,
	outcome_was text not null,
	outcome_is  text not null,
	at          timestamptz not null
);

create function witness.outcome() returns trigger language plpgsql as $$
declare
	outcome_is text := 'no row';
begin
	if tg_op = 'UPDATE' then
		outcome_is := coalesce(new.outcome || coalesce('(' || new.reason || ')', ''), 'open');
	end if;
	insert into witness.outcomes (hold_id, channel, outcome_was, outcome_is, at)
	values (old.hold_id, old.channel, coalesce(old.outcome || coalesce('(' || old.reason || ')', ''), 'open'), outcome_is, clock_timestamp());
	return null;
end $$;

create trigger witness_rewritten after update on reminders
for each row when (old.outcome is not null and (old.outcome, old.reason) is distinct from (new.outcome, new.reason)) execute function witness.outcome();

create trigger witness_removed after delete on reminders
for each row execute function witness.outcome();

-- What left the queue, acknowledged or set aside.
create table witness.messages (
	payload bytea not null,
	at      timestamptz not null
);

create function witness.message() returns trigger language plpgsql as $$
begin
	insert into witness.messages (payload, at) values (old.payload, clock_timestamp());
	return null;
end $$;

create trigger witness_acknowledged after delete on queue_messages
for each row execute function witness.message();
