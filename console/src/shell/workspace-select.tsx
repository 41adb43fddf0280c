/** Which workspace the pages are about. */
import { query } from '../api/client.ts';
import { Select } from '../parts/select.tsx';
import { useWords } from '../words/words.ts';
import { useWorkspaceFilter } from './workspace-filter.tsx';

/** More than these are found by name on the workspaces page. */
const MOST_SHOWN = 200;

export function WorkspaceSelect() {
  const say = useWords();
  const { workspace, choose } = useWorkspaceFilter();
  const list = query.useQuery('get', '/admin/v1/workspaces', { params: { query: { limit: MOST_SHOWN } } });
  const names = (list.data?.data ?? []).map(({ name }) => name);
  if (workspace !== null && !names.includes(workspace)) names.unshift(workspace);
  return (
    <Select
      label={say('top.workspace')}
      hideLabel
      value={workspace ?? ''}
      onChange={(next) => choose(next === '' ? null : next)}
      options={[{ id: '', label: say('top.all_workspaces') }, ...names.map((id) => ({ id, label: id }))]}
    />
  );
}
