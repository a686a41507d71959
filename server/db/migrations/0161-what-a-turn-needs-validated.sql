alter table task_turn validate constraint task_turn_needed_check;
