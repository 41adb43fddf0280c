/** Whose an object is: one of the workspaces there are. */
import { api } from '../../api/client.ts';
import { ComboBox } from '../../parts/combo-box.tsx';
import { useSay } from '../../words/words.ts';
import { bodyOf, useObjects } from './use-objects.ts';
import { accessWords } from './words.ts';

export interface WorkspaceFieldProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly hint?: string;
}

export function WorkspaceField({ value, onChange, hint }: WorkspaceFieldProps) {
  const say = useSay(accessWords);
  const workspaces = useObjects('workspaces', null, async (page) =>
    bodyOf(await api.GET('/admin/v1/workspaces', { params: { query: page } })),
  );
  const names = new Set(['default', ...(workspaces.rows ?? []).map(({ name }) => name)]);
  return (
    <ComboBox
      label={say('workspace')}
      options={[...names].map((name) => ({ id: name, label: name }))}
      value={value}
      onChange={onChange}
      free
      {...(hint === undefined ? {} : { hint })}
    />
  );
}
