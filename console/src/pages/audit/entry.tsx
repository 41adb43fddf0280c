/** One entry of the audit log, with what it changed. */

import { LinkButton } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { Time } from '../../parts/figures.tsx';
import { IdText } from '../../parts/id-text.tsx';
import { KeyValue } from '../../parts/key-value.tsx';
import { Section, Stack } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { type AuditEntry, type ChangedField, changesOf } from './changes.ts';
import { words } from './words.ts';

/** Ids of requests; those of calls to the admin API are in no log. */
const OF_REQUESTS = new Set(['request.failover', 'request.failed', 'request.degraded']);

export function EntryDrawer({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const say = useSay(words);
  const { action, object, actor, at, workspace, request_id: requestId, ip } = entry;
  const changes = changesOf(entry);
  const facts = [
    { name: say('at'), value: <Time at={at} exact /> },
    { name: say('actor'), value: actor },
    { name: say('workspace'), value: workspace ?? say('account') },
    ...(requestId === null ? [] : [{ name: say('request'), value: <IdText text={requestId} /> }]),
    ...(ip === null ? [] : [{ name: say('ip'), value: <code>{ip}</code> }]),
  ];
  return (
    <Drawer title={say('detail', { action, object })} open onClose={onClose}>
      <Stack>
        <KeyValue facts={facts} />
        {requestId !== null && OF_REQUESTS.has(action) && (
          <div>
            <LinkButton to={`/requests/${encodeURIComponent(requestId)}`}>{say('open_request')}</LinkButton>
          </div>
        )}
        <Section title={say('changed')} bare>
          {changes.length === 0 ? <p>{say('no_fields')}</p> : <Changes changes={changes} />}
        </Section>
      </Stack>
    </Drawer>
  );
}

function Changes({ changes }: { readonly changes: readonly ChangedField[] }) {
  const say = useSay(words);
  const shown = (text: string | null) => (text === null ? say('nothing') : <code>{text}</code>);
  return (
    <DataTable
      label={say('changed')}
      rows={changes}
      rowId={({ name }) => name}
      columns={[
        { id: 'field', header: say('field'), cell: ({ name }) => <code>{name}</code> },
        { id: 'before', header: say('before'), cell: ({ before }) => shown(before) },
        { id: 'after', header: say('after'), cell: ({ after }) => shown(after) },
      ]}
    />
  );
}
