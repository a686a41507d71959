-- Nothing has ever written it: tasks and projects have caps, their turns do not.
alter table task_turn drop column cap_nano;
