using System.Diagnostics;
using System.Globalization;
using Faster.Contracts;
using Faster.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Faster.Benchmarks.Scopes;

/// <summary>
/// What a session for each scope of a container costs, beyond the scope: nanoseconds and bytes, with 1, 2 and 64 scopes
/// open at a time, on each engine. Bytes are exact: those that the thread allocates.
/// </summary>
internal static class ScopeCosts
{
    private const int Scopes = 100_000, Turns = 9;
    private static readonly int[] _atATime = [1, 2, 64];

    /// <summary>Measures, and prints a table in Markdown.</summary>
    public static void Print()
    {
        Console.WriteLine("| scope with | at a time | ns | ns beyond an empty scope | bytes | bytes beyond |");
        Console.WriteLine("|---|---|---|---|---|---|");
        using ServiceProvider plain = new ServiceCollection().AddScoped<Smallest>().BuildServiceProvider();
        Print("the smallest service with a disposal", plain, typeof(Smallest), null);
        Print<Words.Store, Words.Session>("FASTER", static session => session.Rmw(7, 1));
        Print<Words.TieredStore, Words.TieredSession>("F2", static session => session.Rmw(7, 1));
        Print<Words.HotRingStore, Words.HotRingSession>("HotRing", static session => session.Rmw(7, 1));
    }

    private static void Print<TStore, TSession>(string engine, Func<TSession, Status> update)
        where TStore : class, IHostedStore<TStore>
        where TSession : class
    {
        ServiceCollection services = [];
        services.AddFaster<TStore>(static settings => settings.Path = "");
        using ServiceProvider provider = services.BuildServiceProvider();
        Print($"a session of {engine}", provider, typeof(TSession), null);
        Print(
            $"a session of {engine}, and an update", provider, typeof(TSession),
            session => _ = update((TSession)session));
    }

    private static void Print(string what, ServiceProvider provider, Type service, Action<object>? use)
    {
        foreach (int atATime in _atATime)
        {
            // By turns, so that both meet the same machine.
            double[] empty = new double[Turns], full = new double[Turns];
            long emptyBytes = 0, fullBytes = 0;
            for (int turn = 0; turn < Turns; turn++)
            {
                (empty[turn], emptyBytes) = Run(provider, null, null, atATime);
                (full[turn], fullBytes) = Run(provider, service, use, atATime);
            }

            double least = empty.Order().ElementAt(Turns / 2), all = full.Order().ElementAt(Turns / 2);
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {what} | {atATime} | {all:0} | {all - least:0} | {fullBytes} | {fullBytes - emptyBytes} |"));
        }
    }

    private static (double Nanoseconds, long Bytes) Run(
        ServiceProvider provider, Type? service, Action<object>? use, int atATime)
    {
        var open = new AsyncServiceScope[atATime];
        long bytes = GC.GetAllocatedBytesForCurrentThread();
        long start = Stopwatch.GetTimestamp();
        for (int done = 0; done < Scopes; done += atATime)
        {
            for (int i = 0; i < atATime; i++)
            {
                open[i] = provider.CreateAsyncScope();
                if (service is null) continue;
                object session = open[i].ServiceProvider.GetRequiredService(service);
                use?.Invoke(session);
            }

            foreach (AsyncServiceScope scope in open)
            {
                ValueTask end = scope.DisposeAsync();
                if (!end.IsCompletedSuccessfully) end.AsTask().GetAwaiter().GetResult();
            }
        }

        int scopes = (Scopes + atATime - 1) / atATime * atATime;
        TimeSpan time = Stopwatch.GetElapsedTime(start);
        return (time.TotalNanoseconds / scopes, (GC.GetAllocatedBytesForCurrentThread() - bytes) / scopes);
    }

    private sealed class Smallest : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => default;
    }
}
