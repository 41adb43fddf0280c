/** A member's page: how one request of the workspace went, by its id, without its trace (G-8). */
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'react-router';
import { query } from '../../api/client.ts';
import { troubleOf } from '../../api/trouble.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { IdText } from '../../parts/id-text.tsx';
import { Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { OwnRequest } from './own-request.tsx';
import styles from './page.module.css';
import { words } from './words.ts';

/** No id is longer; a pasted file is none. */
const LONGEST_ID = 200;

export default function LookupPage() {
  const say = useSay(words);
  const shared = useWords();
  const [params] = useSearchParams();
  const id = params.get('id') ?? '';
  return (
    <Page title={shared('page.lookup')} about={say('about')}>
      <Find key={id} id={id} />
      {id === '' ? <Empty title={say('first')} /> : <Found id={id} />}
    </Page>
  );
}

/** The id lies in the address: it can be shared with another member. */
function Find({ id }: { readonly id: string }) {
  const say = useSay(words);
  const [, setParams] = useSearchParams();
  const [typed, setTyped] = useState(id);
  const find = (event: FormEvent) => {
    event.preventDefault();
    setParams(typed.trim() === '' ? {} : { id: typed.trim() });
  };
  return (
    <form className={styles.find} onSubmit={find}>
      <TextField
        label={say('id')}
        value={typed}
        onChange={setTyped}
        code
        maxLength={LONGEST_ID}
        autoFocus={id === ''}
      />
      <Button kind="main" type="submit" icon="search">
        {say('find')}
      </Button>
    </form>
  );
}

function Found({ id }: { readonly id: string }) {
  const say = useSay(words);
  const found = query.useQuery('get', '/v1/requests/{id}', { params: { path: { id } } });
  if (found.isPending) return <Skeleton lines={8} />;
  if (!found.isError) return <OwnRequest request={found.data} />;
  if (troubleOf(found.error).status !== 404) {
    return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  }
  return (
    <Empty title={say('missing')}>
      <p>{say('missing.text')}</p>
      <IdText text={id} name={say('id')} />
    </Empty>
  );
}
