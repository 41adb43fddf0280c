/** Draining, letting back, resetting: asked before, said after, taken back where that is possible. */
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { formatNumber } from '../../parts/format.ts';
import { Stack } from '../../parts/page.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useLanguage, useSay } from '../../words/words.ts';
import { sharingWith, type Target } from './board.ts';
import { change, type Deed } from './use-targets.ts';
import { words } from './words.ts';

/** What is asked about at the moment. */
export interface Question {
  readonly deed: Deed;
  readonly target: Target;
}

/** More names than these are a number. */
const MOST_NAMES = 4;

/** What takes a deed back; a reset has nothing. */
const OPPOSITE: Readonly<Partial<Record<Deed, Deed>>> = { drain: 'undrain', undrain: 'drain' };

export function useTargetName(): (target: Pick<Target, 'model' | 'channel' | 'credential'>) => string {
  const say = useSay(words);
  return ({ model, channel, credential }) =>
    say('name', { model, channel, credential: credential ?? say('no_credential') });
}

interface DeedDialogProps {
  /** Null = nothing is asked. */
  readonly question: Question | null;
  readonly targets: readonly Target[];
  readonly onClose: () => void;
}

export function DeedDialog({ question, targets, onClose }: DeedDialogProps) {
  const say = useSay(words);
  const nameOf = useTargetName();
  if (question === null) return null;
  const { deed, target } = question;
  const name = nameOf(target);
  const confirm = async () => {
    await change(deed, target.id);
    const opposite = OPPOSITE[deed];
    showDone(
      say(`done.${deed}`, { target: name }),
      opposite === undefined
        ? undefined
        : async () => {
            await change(opposite, target.id);
            showDone(say(`done.${opposite}`, { target: name }));
          },
    );
  };
  return (
    <ConfirmDialog
      open
      title={say(`title.${deed}`, { target: name })}
      action={say(`do.${deed}`)}
      danger={deed === 'drain'}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Stack>
        <p>{say(`text.${deed}`)}</p>
        {deed === 'drain' && <Left target={target} targets={targets} />}
        {deed === 'reset' && <Shared target={target} targets={targets} />}
      </Stack>
    </ConfirmDialog>
  );
}

interface AboutProps {
  readonly target: Target;
  readonly targets: readonly Target[];
}

/** Who goes on when it is drained. */
function Left({ target, targets }: AboutProps) {
  const say = useSay(words);
  const language = useLanguage();
  const { id, model } = target;
  const count = targets.filter((other) => other.model === model && other.id !== id && other.state === 'ok').length;
  return (
    <p>
      {count === 0
        ? say('drain.last', { model })
        : say('drain.left', { count, n: formatNumber(count, language), model })}
    </p>
  );
}

/** Whom a reset concerns as well. */
function Shared({ target, targets }: AboutProps) {
  const say = useSay(words);
  const language = useLanguage();
  const nameOf = useTargetName();
  const shared = sharingWith(target, targets);
  const names = shared.slice(0, MOST_NAMES).map(nameOf);
  if (shared.length > MOST_NAMES) names.push('…');
  return (
    <>
      {shared.length > 0 && (
        <p>
          {say('reset.shared', {
            count: shared.length,
            n: formatNumber(shared.length, language),
            names: names.join(language === 'zh' ? '；' : '; '),
          })}
        </p>
      )}
      <p>{say('reset.no_undo')}</p>
    </>
  );
}
