#!/bin/sh
# Runs once, at the first start of compose.yaml's PostgreSQL, so that the server's login is not a superuser.
set -eu
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set "password=$GUILDHALL_DB_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role guildhall_app nologin;
create role guildhall login password :'password';
grant guildhall_app to guildhall;
create database guildhall owner guildhall;
SQL
