using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Globalization;
using Faster.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Faster.Benchmarks.Scopes;

/// <summary>
/// What hosting and a listener of all meters add to operations that hit: nothing. Prints nanoseconds and bytes of reads
/// and updates, hosted or not; the JIT's listings of both runs can be compared.
/// </summary>
internal static class HostedHits
{
    private const int Calls = 1_000_000, Turns = 9;

    /// <summary>Measures.</summary>
    /// <param name="isHosted">Whether the store is hosted and its meters are read, or opened directly.</param>
    public static void Print(bool isHosted)
    {
        using MeterListener listener = new();
        listener.InstrumentPublished = static (instrument, all) => all.EnableMeasurementEvents(instrument);
        if (isHosted) listener.Start();
        ServiceCollection services = [];
        services.AddFaster<Words.Store>(static settings => settings.Path = "");
        using ServiceProvider provider = services.BuildServiceProvider();
        Words.Store store = isHosted
            ? provider.GetRequiredService<Words.Store>()
            : Words.OpenAsync(null).AsTask().GetAwaiter().GetResult();
        Words.Session session = store.StartSession();
        for (long word = 0; word < 1024; word++) _ = session.Upsert(word, 1);
        double[] reads = new double[Turns], updates = new double[Turns];
        long bytes = 0;
        for (int turn = 0; turn < Turns; turn++)
        {
            listener.RecordObservableInstruments();
            long before = GC.GetAllocatedBytesForCurrentThread();
            reads[turn] = Reads(session);
            updates[turn] = Updates(session);
            bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{(isHosted ? "hosted" : "direct")}: read {reads.Min():0.0} ns, update {updates.Min():0.0} ns, "
            + $"{bytes} bytes in {2 * Calls:N0} calls"));
        session.Dispose();
        if (!isHosted) store.Dispose();
    }

    private static double Reads(Words.Session session)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < Calls; i++) _ = session.Read(i & 1023, out _);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / Calls;
    }

    private static double Updates(Words.Session session)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < Calls; i++) _ = session.Rmw(i & 1023, 1);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / Calls;
    }
}
