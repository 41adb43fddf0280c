/** What the gateway does with the request: its attempts on one time axis, while it runs and after. */
import { LinkButton } from '../../parts/button.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Section, Stack } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { Attempts } from '../request/attempts.tsx';
import { shownAttempts } from '../request/shown-attempt.ts';
import { useTrace } from './use-trace.ts';
import { words } from './words.ts';

export function TraceOf({ id, endedAt }: { readonly id: string | null; readonly endedAt: number | null }) {
  const say = useSay(words);
  const { trace, looking, trouble } = useTrace(id, endedAt);
  const found = trace?.kind === 'over' ? trace.record : trace?.kind === 'running' ? trace.running : null;
  const took =
    trace?.kind === 'over' ? trace.record.latency_ms : trace?.kind === 'running' ? trace.running.elapsed_ms : 0;
  const attempts = found === null ? [] : shownAttempts(found.at, found.attempts);
  return (
    <Section
      title={say('trace')}
      actions={
        trace?.kind === 'over' && (
          <LinkButton to={`/requests/${encodeURIComponent(trace.record.id)}`} icon="requests">
            {say('open')}
          </LinkButton>
        )
      }
    >
      {trouble !== null && <ErrorBox error={trouble} />}
      <div aria-live="polite">
        {attempts.length === 0 ? (
          <p>
            {say(
              id === null ? 'trace_none' : looking ? 'trace_waiting' : found === null ? 'trace_lost' : 'trace_empty',
            )}
          </p>
        ) : (
          <Stack>
            <Attempts attempts={attempts} took={took} requested={found?.requested_model ?? null} />
          </Stack>
        )}
      </div>
    </Section>
  );
}
