/** What a path parameter identifies, for its description in the document. */
export const PATH_IDS = {
  org_id: 'The workspace.',
  team_id: 'A team of that workspace.',
  project_id: 'The project.',
  task_id: 'The task.',
  user_id: 'The person.',
  role_id: 'A role of that workspace.',
  invitation_id: 'The invitation.',
  request_id: 'A request of the agent of that task.',
  comment_id: 'A comment on the plan of that task.',
  attachment_id: 'An attachment of that task.',
  artifact_id: 'An artifact of that task.',
  repository_id: 'A repository of that project.',
  connection_id: 'A connection to Odoo of that project, or of the project of that task.',
  check_id: 'A check of the pull request of that task.',
  deploy_id: 'The deploy.',
  gitea_connection_id: 'The connection to Gitea or Forgejo.',
  invoice_id: 'The invoice.',
  session_id: 'A session of the person.',
  key_id: 'An API key of the person.',
  application_id: 'An application that the person has connected.',
  passkey_id: 'A passkey of the person.',
  identity_id: 'A linked identity of the person.',
  setup_id: 'An attempt of the person to save a card.',
  top_up_id: 'A charge that the person has asked for.',
  webhook_id: 'The webhook.',
  delivery_id: 'A delivery of that webhook.',
  mail_id: 'The mail.',
  service_account_id: 'The service account.',
  routine_id: 'The routine.',
} as const;

/** Values for a valid request, by what they identify: real ids in a test, these in the document. */
export type Examples = Readonly<Record<ExampleName, string>>;

type ExampleName =
  | 'org_id'
  | 'team_id'
  | 'project_id'
  | 'task_id'
  | 'invitation_id'
  | 'attachment_id'
  | 'artifact_id'
  | 'repository_id'
  | 'connection_id'
  | 'check_id'
  | 'deploy_id'
  | 'gitea_connection_id'
  | 'invoice_id'
  | 'user_id'
  | 'role_id'
  | 'request_id'
  | 'comment_id'
  | 'session_id'
  | 'key_id'
  | 'application_id'
  | 'passkey_id'
  | 'identity_id'
  | 'setup_id'
  | 'top_up_id'
  | 'webhook_id'
  | 'delivery_id'
  | 'mail_id'
  | 'service_account_id'
  | 'routine_id'
  | 'installation_id'
  | 'github_repository_id'
  | 'version'
  | 'number'
  | 'name'
  | 'payment_method_id'
  | 'invite_token'
  | 'odoo_url';

/** The values in the document. `user_id` is a member of the workspace other than the caller. */
export const EXAMPLES: Examples = {
  org_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  team_id: '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a',
  project_id: 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11',
  task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
  invitation_id: '0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f',
  attachment_id: '019aa2b3-c4d5-7e6f-8a1b-2c3d4e5f6a7b',
  artifact_id: '019aa2b4-0d1e-7f2a-9b3c-4d5e6f7a8b9c',
  repository_id: '019aa2b5-3c4d-7e5f-8a6b-7c8d9e0f1a2b',
  connection_id: 'a3bb189e-8bf9-4c8b-9f0e-1c2d3e4f5a6b',
  deploy_id: '019aa2b6-5e6f-7a8b-9c0d-1e2f3a4b5c6d',
  gitea_connection_id: '2f4a6b1d-7c3e-4b5c-8d6e-9f0a1b2c3d4e',
  invoice_id: '019aa2c1-5d6e-7f8a-9b0c-1d2e3f4a5b6c',
  check_id: '019aa2b6-1d1e-7f2a-9b3c-4d5e6f7a8b9c',
  user_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  role_id: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
  request_id: '0197f2c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  comment_id: '01aa2b3c-4d5e-7f60-8a1b-2c3d4e5f6a7b',
  session_id: '6f1e2d3c-4b5a-4968-8776-655443322110',
  key_id: '3d5c7b9a-1e2f-4a3b-8c4d-5e6f70819203',
  application_id: '3d5c7b9a-1e2f-4a3b-8c4d-5e6f70819203',
  passkey_id: '5e6f7081-9203-4a1b-8c2d-3e4f50617283',
  identity_id: '7a8b9cad-be0f-4112-9334-455667788990',
  top_up_id: '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e',
  webhook_id: '6b1d7c3e-2f4a-4b5c-8d6e-9f0a1b2c3d4e',
  delivery_id: '019aa2b7-1d1e-7f2a-9b3c-4d5e6f7a8b9c',
  mail_id: '019aa2b8-2e2f-7a3b-8c4d-5e6f70819203',
  service_account_id: '2b3c4d5e-6f70-4819-a2b3-c4d5e6f70819',
  routine_id: '8c9dae1f-2b3c-4d5e-8f60-718293a4b5c6',
  setup_id: '4c5d6e7f-8091-4a2b-9c3d-4e5f60718293',
  installation_id: '51234567',
  github_repository_id: '1296269',
  version: '1',
  number: '1',
  name: 'PIP_INDEX_URL',
  payment_method_id: 'pm_FCN4xSt6qIDoQbWspGKp76Oa',
  odoo_url: 'https://erp.example.com',
  invite_token: 'GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY',
};
