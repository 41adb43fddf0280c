/** Sends a test now, and shows what came of it. */
import { useState } from 'react';
import { api, type Shape } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { formatDuration } from '../../parts/format.ts';
import { Row, Stack } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { bodyOf } from '../access/use-objects.ts';
import { words } from './words.ts';

export function TestIt({ name }: { readonly name: string }) {
  const say = useSay(words);
  const [busy, setBusy] = useState(false);
  const [came, setCame] = useState<Shape<'WebhookTest'> | null>(null);
  const [error, setError] = useState<unknown>(null);
  const send = async () => {
    setBusy(true);
    setError(null);
    setCame(null);
    try {
      setCame(bodyOf(await api.POST('/admin/v1/webhooks/{id}/test', { params: { path: { id: name } } })));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack>
      <Row>
        <Button icon="playground" isPending={busy} onPress={() => void send()}>
          {say('test')}
        </Button>
        <span role="status">
          {came !== null && (
            <Badge tone={came.delivered ? 'ok' : 'bad'}>
              {say(came.delivered ? 'test.done' : 'test.failed', {
                status: came.status ?? say('test.no_status'),
                took: formatDuration(came.took_ms),
              })}
            </Badge>
          )}
        </span>
      </Row>
      {came !== null && came.answer !== null && came.answer !== '' && (
        <CodeBlock text={came.answer} label={say('test.said')} wrap />
      )}
      <ErrorBox error={error} />
    </Stack>
  );
}
