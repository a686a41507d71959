alter table pod validate constraint pod_failed_for_a_reason;
