/** How the targets of a credential are, as the health board has them (H-3). */
import { Link } from 'react-router';
import { query, type Shape } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Stack } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { words } from './words.ts';

export type Credential = Shape<'Credential'>;

export interface CredentialHealth {
  readonly all: number;
  /** Those that are not called at the moment, or only on trial. */
  readonly bad: number;
}

/** More targets than this are beyond what the board tells at once. */
const MOST = 1000;
/** A board that is looked at follows what happens. */
const AGAIN_MS = 15_000;

/** By name of the credential; undefined while it is not known. */
export function useCredentialHealth(workspace: string | null): ReadonlyMap<string, CredentialHealth> | undefined {
  const asked = { limit: MOST, ...(workspace === null ? {} : { workspace }) };
  const init = { params: { query: asked } };
  const board = query.useQuery('get', '/admin/v1/health/targets', init, { refetchInterval: AGAIN_MS });
  if (board.data === undefined) return undefined;
  const health = new Map<string, CredentialHealth>();
  for (const { credential, state } of board.data.data) {
    if (credential === null) continue;
    const { all, bad } = health.get(credential) ?? { all: 0, bad: 0 };
    health.set(credential, { all: all + 1, bad: bad + (state === 'ok' ? 0 : 1) });
  }
  return health;
}

export interface HealthShownProps {
  readonly name: string;
  readonly health: ReadonlyMap<string, CredentialHealth> | undefined;
}

export function HealthShown({ name, health }: HealthShownProps) {
  const say = useSay(words);
  if (health === undefined) return <>–</>;
  const { all, bad } = health.get(name) ?? { all: 0, bad: 0 };
  if (all === 0) return <>{say('health.unused')}</>;
  if (bad === 0) return <Badge tone="ok">{say('health.well')}</Badge>;
  return (
    <Stack>
      <Badge tone={bad === all ? 'bad' : 'warn'}>
        {bad === all ? say('health.none') : say('health.some', { bad, all })}
      </Badge>
      <Link to={`/targets?text=${encodeURIComponent(name)}`}>{say('health.why')}</Link>
    </Stack>
  );
}
