alter table task
  validate constraint task_status_check,
  validate constraint task_status_reason_fits,
  validate constraint task_model_check,
  validate constraint task_spend_cap_check;
