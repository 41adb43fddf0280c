/** The client key of this page: made when it is first needed, held in memory alone, revoked when the page is left. */
import { api, csrfHeaders } from '../../api/client.ts';
import { bodyOf } from '../access/use-objects.ts';

interface PlayKey {
  readonly name: string;
  readonly secret: string;
  readonly workspace: string | null;
}

/** A page that was closed too quickly leaves a key that ends by itself. */
const LIVES_MS = 24 * 60 * 60_000;

let held: Promise<PlayKey> | null = null;
let heldFor: string | null = null;

/** The key of a workspace (null = the default one). Rejects with `ApiTrouble`. */
export function playKey(workspace: string | null): Promise<PlayKey> {
  if (held !== null && heldFor === workspace) return held;
  void dropPlayKey();
  heldFor = workspace;
  const making = make(workspace);
  held = making;
  // A failure is told to who asked; the next one asks anew.
  making.catch(() => {
    if (held === making) held = null;
  });
  return making;
}

async function make(workspace: string | null): Promise<PlayKey> {
  const name = `playground-${crypto.randomUUID().slice(0, 8)}`;
  const expiresAt = new Date(Date.now() + LIVES_MS).toISOString();
  const answer = await api.POST('/admin/v1/keys', {
    body: { name, allow_rehearse: true, expires_at: expiresAt, ...(workspace === null ? {} : { workspace }) },
  });
  return { name, secret: bodyOf(answer).secret, workspace };
}

/** Revokes it; sent even while the page goes away. Never rejects. */
export async function dropPlayKey(): Promise<void> {
  const dropped = held;
  held = null;
  try {
    const key = await dropped;
    if (key === null) return;
    await fetch(`/admin/v1/keys/${encodeURIComponent(key.name)}`, {
      method: 'DELETE',
      headers: csrfHeaders(),
      credentials: 'same-origin',
      keepalive: true,
    });
  } catch {
    // It expires by itself.
  }
}
