/** Header that carries a provider's `organization` setting, in the Chat dialect and its relatives. */
export const ORGANIZATION_HEADER = 'openai-organization';
