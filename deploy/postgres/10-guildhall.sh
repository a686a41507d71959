#!/bin/sh
# Runs once, in the first start of compose.yaml's PostgreSQL: the login of the server is no superuser.
set -eu
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set "password=$GUILDHALL_DB_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role guildhall_app nologin;
create role guildhall login password :'password';
grant guildhall_app to guildhall;
create database guildhall owner guildhall;
SQL
