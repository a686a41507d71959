alter table repository validate constraint repository_of_tasks;
