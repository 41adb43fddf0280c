/** What a workspace is and may, to read. */

import { LinkButton } from '../../parts/button.tsx';
import { JsonView } from '../../parts/code-block.tsx';
import { KeyValue } from '../../parts/key-value.tsx';
import { useSay } from '../../words/words.ts';
import { LimitsShown } from '../access/limits.tsx';
import { LinesShown } from '../access/text-lists.tsx';
import { chosen, type Workspace } from './draft.ts';
import { words } from './words.ts';

export function SettingsShown({ of: workspace }: { readonly of: Workspace }) {
  const say = useSay(words);
  const { guardrails = {}, answers } = workspace;
  const denied = (['deny_models', 'deny_channels', 'allow_regions', 'deny_regions'] as const).flatMap((field) => {
    const lines = guardrails[field];
    return lines === undefined ? [] : [{ name: say(field), value: <LinesShown lines={lines} none="–" /> }];
  });
  const settings = (['redundancy', 'ceilings'] as const).flatMap((field) => {
    const value = workspace[field];
    return value === undefined || Object.keys(value).length === 0
      ? []
      : [{ name: say(field), value: <JsonView value={value} /> }];
  });
  const facts = [
    { name: say('models'), value: <LinesShown lines={chosen(workspace.enabled_models)} none={say('all')} /> },
    { name: say('channels'), value: <LinesShown lines={chosen(workspace.enabled_channels)} none={say('all')} /> },
    { name: say('default_model'), value: workspace.default_model ?? '–' },
    {
      name: say('routing'),
      value: (
        <LinkButton to={`/routing?workspace=${encodeURIComponent(workspace.name)}`}>{say('open_routing')}</LinkButton>
      ),
    },
    { name: say('limits'), value: <LimitsShown limits={workspace.limits} /> },
    ...denied,
    ...(guardrails.max_privacy === undefined
      ? []
      : [{ name: say('max_privacy'), value: say(`privacy.${guardrails.max_privacy}`) }]),
    ...settings,
    {
      name: say('answers'),
      value: answers?.keep === true ? say('kept', { time: answers.max_age ?? '24h' }) : say('not_kept'),
    },
    { name: say('idempotency'), value: say(workspace.auto_idempotency === true ? 'derived' : 'not_derived') },
    { name: say('scope'), value: say(`scope.${workspace.idempotency_scope ?? 'key'}`) },
  ];
  return <KeyValue facts={facts} />;
}
