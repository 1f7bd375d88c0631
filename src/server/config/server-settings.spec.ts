import { settingsOf } from '../../settings/setting.js';
import { allSettings, defaultSettings, SETTINGS_CLASSES, settingsFor } from './server-settings.js';
import { ProcessSettings } from './process.settings.js';

test('each setting is declared in one layer', () => {
  const names = allSettings().map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test.each(SETTINGS_CLASSES)('%p contains only settings', (layer) => {
  expect(Object.keys(new layer())).toEqual(settingsOf(layer).map(({ property }) => property));
});

test('a layer gets its own settings out of all values', () => {
  const own = settingsFor(ProcessSettings, { ...defaultSettings(), securePort: 1 });
  expect(own).toEqual(Object.assign(new ProcessSettings(), { securePort: 1 }));
  expect(own).toBeInstanceOf(ProcessSettings);
});
