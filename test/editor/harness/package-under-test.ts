import { madePackage } from '../../../scripts/package';

/** The Stet package that a page test, the tour or the bench installs: the one the runner named, else the one last made. */
export const packageUnderTest = (): string => process.env['STET_VSIX'] ?? madePackage();
