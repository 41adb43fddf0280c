/** Whether a webhook sends, in words. */
import { Badge } from '../../parts/badge.tsx';
import { useSay } from '../../words/words.ts';
import type { Webhook } from './webhook-form.tsx';
import { words } from './words.ts';

export function WebhookBadges({ of: { enabled, problem, renewing } }: { readonly of: Webhook }) {
  const say = useSay(words);
  return (
    <>
      {enabled === false && <Badge tone="off">{say('off')}</Badge>}
      {enabled !== false && problem === null && <Badge tone="ok">{say('sends')}</Badge>}
      {renewing && <Badge tone="info">{say('renewing')}</Badge>}
    </>
  );
}
