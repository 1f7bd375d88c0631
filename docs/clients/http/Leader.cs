using System;
using System.Diagnostics;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;

static class Leader
{
    static readonly HttpClient client = new HttpClient();
    static string url;

    /// <summary>The status, 0 if there is no answer; the text is the answer or what went wrong.</summary>
    static int Ask(HttpMethod method, out string text, int wait = 0)
    {
        try
        {
            var limit = new CancellationTokenSource(TimeSpan.FromSeconds(wait + 2));
            var answer = client.SendAsync(new HttpRequestMessage(method, url + "&wait=" + wait + "s"), limit.Token).Result;
            text = answer.Content.ReadAsStringAsync().Result.Trim();
            return (int)answer.StatusCode;
        }
        catch (AggregateException error)
        {
            text = error.GetBaseException().Message;
            return 0;
        }
    }

    static int Main(string[] args)
    {
        string token, text;
        url = Environment.GetEnvironmentVariable("SERVER") + "/apis/coordination.k8s.io/v1/namespaces/default/leases/" + args[0]
            + "/lock?duration=15s&holder=" + Environment.MachineName + "_" + Guid.NewGuid();
        client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Environment.GetEnvironmentVariable("TOKEN"));

        for (; Ask(HttpMethod.Put, out token, 30) != 200; Thread.Sleep(1000)) Console.Error.WriteLine(token);
        Console.WriteLine("leading " + token);

        var told = new ManualResetEvent(false);
        Console.CancelKeyPress += (sender, press) => press.Cancel = told.Set(); // .NET 6 has PosixSignalRegistration for SIGTERM
        var clock = Stopwatch.StartNew();
        var heldUntil = TimeSpan.Zero;
        for (; !told.WaitOne(0); told.WaitOne(2000))
        {
            var sent = clock.Elapsed;
            var status = Ask(HttpMethod.Put, out text);
            if (status == 200) heldUntil = sent + TimeSpan.FromSeconds(10);
            if (status == 423 || clock.Elapsed > heldUntil)
            {
                Console.WriteLine("lost");
                return 1;
            }
            // one step of the work, with the token
        }
        Ask(HttpMethod.Delete, out text);
        return 0;
    }
}
