/** Words of the members' page, in English. */
export const en = {
  about: 'People who may open this console, each with a token of their own and a role.',
  add: 'Add a member',
  add_do: 'Add',
  role: 'Role',
  role_account_admin: 'Everything, in all workspaces.',
  role_workspace_admin: 'One workspace: its keys, credentials, routing and traces.',
  role_member: 'Looks up requests of one workspace, without their traces.',
  made: '{{name}} can sign in now',
  made_text: 'Hand this token over by a safe way. With it {{name}} signs in at {{address}}.',
  token: 'Member token',
  edit: 'Change {{name}}',
  saved: '{{name}} is changed',
  remove: 'Remove {{name}}',
  remove_text:
    'The token of {{name}} stops working at once, and sessions opened with it end. What {{name}} did stays in the audit log.',
  removed: '{{name}} is removed',
  none: 'No members yet',
  none_text:
    'Only who has the admin token can sign in. Give people tokens of their own, so that the audit log names them.',
  you: 'you',
} as const;
