using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Epochs;
using Xunit.Abstractions;

namespace Faster.Tests.Epochs;

/// <summary>
/// Whether the announcement of an epoch is ordered before the reads that it protects, on real cores: a writer unlinks a
/// page, bumps, and poisons it in the action; a reader inside its epoch must never see the poison.
/// </summary>
/// <remarks>The control is the same code without the process-wide barrier, and it has to fail.</remarks>
public sealed unsafe class EpochLitmusTests(ITestOutputHelper output)
{
    private const long Poison = -1;

    [Fact]
    public void The_process_wide_barrier_orders_announcement_and_reads_and_without_it_pages_are_freed_under_readers()
    {
        if (Environment.ProcessorCount == 1)
        {
            output.WriteLine("Inconclusive: one core cannot reorder what its own threads see.");
            return;
        }

        (long controlRounds, long controlFailures) = Run<Unfenced>(TimeSpan.FromSeconds(5), stopAtFailures: 3);
        (long rounds, long failures) = Run<NoProbe>(TimeSpan.FromMilliseconds(700), stopAtFailures: 1);
        output.WriteLine($"Unfenced control: {controlFailures} failures in {controlRounds} rounds.");
        output.WriteLine($"Epoch table: {failures} failures in {rounds} rounds.");
        Assert.Equal(0, failures);
        Assert.True(rounds > 0);
        Assert.True(controlFailures > 0, $"The control did not fail in {controlRounds} rounds: this test shows nothing.");
    }

    private static (long Rounds, long Failures) Run<TProbe>(TimeSpan limit, int stopAtFailures)
        where TProbe : struct, IProbe
    {
        using var table = new EpochTable<TProbe>();
        var arena = new Arena();
        EpochSlot* slot = table.Acquire("reader");
        var reader = new Thread(() => Read(table, slot, arena));
        reader.Start();
        var watch = Stopwatch.StartNew();
        long rounds = 0;
        while (Volatile.Read(ref arena.Failures) < stopAtFailures && (rounds % 64 != 0 || watch.Elapsed < limit))
        {
            rounds++;
            Swap(table, arena);
        }

        Volatile.Write(ref arena.Stop, true);
        reader.Join();
        long failures = arena.Failures;
        arena.Free();
        return (rounds, failures);
    }

    private static void Swap<TProbe>(EpochTable<TProbe> table, Arena arena)
        where TProbe : struct, IProbe
    {
        long* old = arena.Shown;
        long* next = old == arena.First ? arena.Second : arena.First;
        Volatile.Write(ref *next, 0);
        arena.Unlink(next);
        table.Bump(() => Volatile.Write(ref *old, Poison));
        while (table.PendingActions > 0) Thread.SpinWait(1);
        for (int spin = 0; spin < 40; spin++) _ = Volatile.Read(ref *next);
    }

    private static void Read<TProbe>(EpochTable<TProbe> table, EpochSlot* slot, Arena arena)
        where TProbe : struct, IProbe
    {
        uint line = 1;
        while (!Volatile.Read(ref arena.Stop))
        {
            // Stores that miss every cache keep the announcement waiting in the store buffer behind them.
            for (int i = 0; i < 4; i++)
            {
                line = (line * 1_664_525) + 1_013_904_223;
                arena.Cold[line % Arena.ColdBytes & ~63u] = 1;
            }

            table.Enter(slot);
            long* page = arena.Shown;
            for (int look = 0; look < 60; look++)
            {
                if (Volatile.Read(ref *page) != Poison) continue;
                Interlocked.Increment(ref arena.Failures);
                break;
            }

            table.Leave(slot);
        }
    }

    /// <summary>What reader and writer share.</summary>
    private sealed class Arena
    {
        public const uint ColdBytes = 64 << 20;

        public readonly byte* Cold = (byte*)NativeMemory.AllocZeroed(ColdBytes);
        public readonly long* First = (long*)NativeMemory.AlignedAlloc(64, 64);
        public readonly long* Second = (long*)NativeMemory.AlignedAlloc(64, 64);
        public long Failures;
        public bool Stop;
        private readonly nint* _shown = (nint*)NativeMemory.AlignedAlloc(64, 64);

        public Arena()
        {
            *First = *Second = 0;
            *_shown = (nint)First;
        }

        public long* Shown
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => (long*)Volatile.Read(ref *_shown);
        }

        public void Unlink(long* next) => Interlocked.Exchange(ref *_shown, (nint)next);

        public void Free()
        {
            NativeMemory.Free(Cold);
            NativeMemory.AlignedFree(First);
            NativeMemory.AlignedFree(Second);
            NativeMemory.AlignedFree(_shown);
        }
    }

    private struct Unfenced : IProbe
    {
        public static void Point(ProbePoint point) { }

        public static bool Has(SeededBug bug) => bug == SeededBug.BumpWithoutBarrier;
    }
}
