/** What is filtered, as a file: the browser fetches it by its session. */
import { serverNow } from '../../api/clock.ts';
import { MenuButton, MenuItem } from '../../parts/menu.tsx';
import { Icon } from '../../shell/icons.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { type FilterValues, queryOf } from './request-filter.ts';
import { words } from './words.ts';

const FORMATS = ['csv', 'ndjson'] as const;

interface ExportMenuProps {
  readonly values: FilterValues;
  readonly workspace: string | null;
}

export function ExportMenu({ values, workspace }: ExportMenuProps) {
  const say = useSay(words);
  const shared = useWords();
  const address = (format: string): string => {
    const query = queryOf(values, workspace, serverNow());
    const params = new URLSearchParams({ format });
    for (const [name, value] of Object.entries(query)) params.set(name, String(value));
    return `/admin/v1/requests/export?${params}`;
  };
  return (
    <MenuButton wide label={shared('do.export')} icon={<Icon name="download" size={16} />}>
      {FORMATS.map((format) => (
        <MenuItem key={format} href={address(format)} download={`requests.${format}`}>
          {say(`export.${format}`)}
        </MenuItem>
      ))}
    </MenuButton>
  );
}
