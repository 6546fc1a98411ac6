export { openEditor, serveEditor, type Editor, type OpenOptions, type ServedEditor } from './open-editor';
export { packageUnderTest } from './package-under-test';
export { quietSettings } from './settings';
export { Workbench } from './workbench';
export { until, type UntilOptions } from './until';
