/** The statement that prints "begins MS", by language. */
export const PYTHON = 'print("begins", int(__import__("time").time() * 1000), flush=True)';
export const GO = 'fmt.Println("begins", time.Now().UnixMilli())';
export const JAVA = 'System.out.println("begins " + System.currentTimeMillis());';
export const JAVASCRIPT = `console.log('begins', Date.now());`;
export const SHELL = 'echo "begins $(date +%s%3N)"';
export const PERL = 'print "begins ", int(Time::HiRes::time() * 1000), "\\n";';
export const RUBY = 'puts "begins #{(Time.now.to_f * 1000).to_i}"';
export const PHP = `echo 'begins ', (int) (microtime(true) * 1000), "\\n";`;
export const ELIXIR = 'IO.puts("begins #{System.system_time(:millisecond)}")';
export const CSHARP = 'Console.WriteLine("begins " + DateTimeOffset.UtcNow.ToUnixTimeMilliseconds());';
export const RUST = 'println!("begins {}", std::time::UNIX_EPOCH.elapsed().unwrap().as_millis());';
