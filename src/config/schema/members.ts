/** Members: people with a token of their own for the admin API (G-8). */
import { ROLES } from '../../core/access/roles.ts';
import { mapping, oneOf, secret, text } from './fields.ts';

export const memberSchema = mapping({
  role: oneOf(ROLES).describe(
    '`account_admin`: everything; `workspace_admin`: its workspace; `member`: the requests of its workspace, without trace.',
  ),
  workspace: text('must be the name of a workspace')
    .describe('Name of an entry under `workspaces`. Every role but `account_admin` needs one.')
    .exactOptional(),
  token: secret().describe('What the member sends; only its SHA-256 is kept.'),
});
