-- The users of the programs, with the rights of roles.sql and passwords from files. Again and again
-- with new passwords, if need be.
\set ON_ERROR_STOP on
\set sweep_password `cat /run/secrets/sweep-password`
\set worker_password `cat /run/secrets/worker-password`

select format('create role %I login in role %I', name, of)
from (values ('sweep_1', 'seathold_sweep'), ('worker_1', 'seathold_worker')) as wanted (name, of)
where not exists (select from pg_roles where rolname = name) \gexec

alter role sweep_1 password :'sweep_password';
alter role worker_1 password :'worker_password';
