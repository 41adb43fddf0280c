import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { useWords } from '../../words/words.ts';

export default function StubPage() {
  const say = useWords();
  return (
    <Page title={say('page.targets')}>
      <Empty title={say('state.empty')} />
    </Page>
  );
}
