/** One message to a webhook: what it told, what was answered. */
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { Duration, Time } from '../../parts/figures.tsx';
import { IdText } from '../../parts/id-text.tsx';
import { KeyValue } from '../../parts/key-value.tsx';
import { Stack } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import styles from '../access/access.module.css';
import { LinesShown } from '../access/text-lists.tsx';
import { type Delivery, DeliveryState } from './deliveries.tsx';
import { words } from './words.ts';

export interface DeliveryDrawerProps {
  readonly delivery: Delivery;
  readonly onReplay: () => void;
  readonly onClose: () => void;
}

export function DeliveryDrawer({ delivery, onReplay, onClose }: DeliveryDrawerProps) {
  const say = useSay(words);
  const { id, at, tries, next_at: next, done_at: done, status, answer, took_ms: took, events, types } = delivery;
  const facts = [
    { name: say('state'), value: <DeliveryState of={delivery} /> },
    { name: say('message'), value: <IdText text={id} /> },
    { name: say('at'), value: <Time at={at} exact /> },
    { name: say('tries'), value: tries },
    ...(next === null ? [] : [{ name: say('next'), value: <Time at={next} /> }]),
    ...(done === null ? [] : [{ name: say('done_at'), value: <Time at={done} exact /> }]),
    { name: say('answer'), value: status ?? say(tries === 0 ? 'not_tried' : 'no_answer') },
    { name: say('took'), value: <Duration ms={took} /> },
    { name: say('tells'), value: <LinesShown lines={[...new Set(types)]} none="–" /> },
    { name: say('event_ids'), value: <LinesShown lines={events} none="–" /> },
  ];
  return (
    <Drawer
      title={say('delivery')}
      open
      onClose={onClose}
      actions={<Button onPress={onReplay}>{say('replay')}</Button>}
    >
      <Stack>
        <KeyValue facts={facts} />
        {answer !== null && answer !== '' && (
          <div>
            <p className={styles.soft}>{say('answer_text')}</p>
            <CodeBlock text={answer} label={say('answer_text')} wrap />
          </div>
        )}
      </Stack>
    </Drawer>
  );
}
