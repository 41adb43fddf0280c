/** Theme, language, who is signed in, and the way out. */
import { Header, MenuSection, Text } from 'react-aria-components';
import { MenuButton, MenuItem } from '../parts/menu.tsx';
import { showTrouble } from '../parts/toast.tsx';
import { signOut, useSession } from '../session/session.ts';
import { chooseTheme, THEMES, type ThemeChoice, useThemeChoice } from '../theme/theme.ts';
import { chooseLanguage, LANGUAGES, type Language, useLanguage, useWords } from '../words/words.ts';
import styles from './account-menu.module.css';
import { Icon } from './icons.tsx';

export function AccountMenu() {
  const say = useWords();
  const session = useSession();
  const theme = useThemeChoice();
  const language = useLanguage();
  return (
    <MenuButton label={say('top.settings')} icon={<Icon name="person" />}>
      <MenuSection
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[theme]}
        onSelectionChange={(keys) => chooseTheme([...keys][0] as ThemeChoice)}
      >
        <Header className={styles.header}>{say('top.theme')}</Header>
        {THEMES.map((one) => (
          <MenuItem key={one} id={one}>
            {say(`theme.${one}`)}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[language]}
        onSelectionChange={(keys) => chooseLanguage([...keys][0] as Language)}
      >
        <Header className={styles.header}>{say('top.language')}</Header>
        {LANGUAGES.map((one) => (
          <MenuItem key={one} id={one}>
            {say(`language.${one}`)}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection>
        <Header className={styles.header}>
          {session.name}, {say(`role.${session.role}`)}
        </Header>
        <MenuItem id="sign-out" onAction={() => void signOut().catch(showTrouble)}>
          <Text slot="label">{say('top.sign_out')}</Text>
        </MenuItem>
      </MenuSection>
    </MenuButton>
  );
}
