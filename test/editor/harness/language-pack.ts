import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Lets the workbench take on a display language, which it does only when it knows a language pack for it. This one translates
 * nothing: the workbench's own words stay English, and an extension's words come from its `package.nls.LOCALE.json`.
 */
export async function offerLanguage(locale: string, userDataDir: string): Promise<void> {
  if (locale === 'en') return;
  const folder = join(userDataDir, 'language');
  const translations = join(folder, 'main.i18n.json');
  await mkdir(folder, { recursive: true });
  await writeFile(translations, JSON.stringify({ version: '1.0.0', contents: {} }));
  const pack = {
    hash: `stet-${locale}`,
    label: locale,
    extensions: [{ extensionIdentifier: { id: `stet.language-${locale}` }, version: '1.0.0' }],
    translations: { vscode: translations },
  };
  await writeFile(join(userDataDir, 'languagepacks.json'), JSON.stringify({ [locale]: pack }));
}
