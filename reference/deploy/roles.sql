-- The least that each program of the pipeline needs, as roles that can't log in. Run it as the owner
-- of the tables, after holdctl migrate up and again after every upgrade:
--
--     psql -v ON_ERROR_STOP=1 -f roles.sql
--
-- and give each program a user of its own:
--
--     create role sweep_1 login password '…' in role seathold_sweep;
--
-- holdctl migrates, redrives and prunes as the owner. The schema is the one that search_path names.

do $$
declare
	name text;
begin
	foreach name in array array['seathold_sweep', 'seathold_worker', 'seathold_host'] loop
		if not exists (select from pg_roles where rolname = name) then
			execute format('create role %I nologin', name);
		end if;
	end loop;
end
$$;

-- Both programs see whether the schema is new enough, how much waits, and when the last sweep was.
grant select on seathold_migrations, seat_holds, reminders, queue_messages, queue_dead_letters, sweep_runs
	to seathold_sweep, seathold_worker;

-- A sweep publishes and reports. As the backstop it expires what is long overdue, and accounts for it.
grant insert on queue_messages, sweep_runs to seathold_sweep;
grant usage on sequence queue_message_ids to seathold_sweep;
grant update (state) on seat_holds to seathold_sweep;
grant insert on reminders to seathold_sweep;
grant update (outcome, reason, message_id, settled_at) on reminders to seathold_sweep;

-- A worker claims, settles and expires; it locks holds, and of a hold it changes the state alone.
-- It takes messages, gives them back, acknowledges them and sets them aside.
grant update (state) on seat_holds to seathold_worker;
grant insert, update on reminders to seathold_worker;
grant update, delete on queue_messages to seathold_worker;
grant insert on queue_dead_letters to seathold_worker;

-- The host application creates holds, and confirms, cancels and extends them; nothing else of them
-- changes. It may look at what became of reminders.
grant select, insert on seat_holds to seathold_host;
grant update (state, expires_at) on seat_holds to seathold_host;
grant select on reminders to seathold_host;
