/** What the gateway does with the request: its attempts on one time axis, while it runs and after. */
import { LinkButton } from '../../parts/button.tsx';
import { Section, Stack } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { Attempts } from '../request/attempts.tsx';
import { shownAttempts } from '../request/shown-attempt.ts';
import { useTrace } from './use-trace.ts';
import { words } from './words.ts';

export function TraceOf({ id, busy }: { readonly id: string | null; readonly busy: boolean }) {
  const say = useSay(words);
  const trace = useTrace(id);
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
      <div aria-live="polite">
        {found === null || attempts.length === 0 ? (
          <p>{say(id === null ? 'trace_none' : busy || trace?.kind !== 'over' ? 'trace_waiting' : 'trace_none')}</p>
        ) : (
          <Stack>
            <Attempts attempts={attempts} took={took} requested={found.requested_model} />
          </Stack>
        )}
      </div>
    </Section>
  );
}
