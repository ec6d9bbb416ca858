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
/// <remarks>
/// <para>Both start each round together. The reader announces, takes the page, and stays inside until the writer's bump
/// has returned; so a page that is poisoned by then was freed under it, with no luck needed to see that.</para>
/// <para>The control is the same code without the process-wide barrier, and it has to fail. It does so within a second
/// while both threads have a core; on a crowded machine they seldom run at once, and it takes longer.</para>
/// </remarks>
public sealed unsafe class EpochLitmusTests(ITestOutputHelper output)
{
    private const long Poison = -1;

    [Fact]
    public void Pages_are_freed_under_readers_only_without_the_process_wide_barrier()
    {
        if (Environment.ProcessorCount == 1)
        {
            output.WriteLine("Inconclusive: one core cannot reorder what its own threads see.");
            return;
        }

        (long controlRounds, long controlFailures) = Run<Unfenced>(TimeSpan.FromSeconds(20), stopAtFailures: 3);
        (long rounds, long failures) = Run<NoProbe>(TimeSpan.FromMilliseconds(700), stopAtFailures: 1);
        output.WriteLine($"Unfenced control: {controlFailures} failures in {controlRounds} rounds.");
        output.WriteLine($"Epoch table: {failures} failures in {rounds} rounds.");
        Assert.Equal(0, failures);
        Assert.True(rounds > 0);
        Assert.True(controlFailures > 0, $"The control never failed in {controlRounds} rounds: nothing is shown.");
    }

    private static (long Rounds, long Failures) Run<TProbe>(TimeSpan limit, int stopAtFailures)
        where TProbe : struct, IProbe
    {
        var table = new EpochTable<TProbe>();
        var arena = new Arena();
        EpochSlot* slot = table.Acquire("reader");
        var reader = new Thread(() => Read(table, slot, arena)) { IsBackground = true };
        reader.Start();
        var watch = Stopwatch.StartNew();
        var random = new Random(1);
        long round = 0;
        while (Volatile.Read(ref arena.Failures) < stopAtFailures && (round % 64 != 0 || watch.Elapsed < limit))
        {
            Volatile.Write(ref arena.Started, ++round);
            for (int delay = random.Next(100); delay > 0; delay--) _ = Volatile.Read(ref arena.Stop);
            Swap(table, arena);
            Volatile.Write(ref arena.Decided, round);
            Await(ref arena.Finished, round);
            while (table.PendingActions > 0) Thread.Yield();
        }

        Volatile.Write(ref arena.Stop, true);
        Volatile.Write(ref arena.Started, round + 1);
        reader.Join();
        long failures = arena.Failures;
        arena.Free();
        return (round, failures);
    }

    private static void Swap<TProbe>(EpochTable<TProbe> table, Arena arena)
        where TProbe : struct, IProbe
    {
        long* old = arena.Shown;
        long* next = old == arena.First ? arena.Second : arena.First;
        *next = 0;
        arena.Unlink(next);
        table.Bump(() => Volatile.Write(ref *old, Poison));
    }

    private static void Read<TProbe>(EpochTable<TProbe> table, EpochSlot* slot, Arena arena)
        where TProbe : struct, IProbe
    {
        uint line = 1;
        for (long round = 1; ; round++)
        {
            Await(ref arena.Started, round);
            if (Volatile.Read(ref arena.Stop)) return;

            // Stores that miss every cache keep the announcement waiting behind them in the store buffer.
            for (int i = 0; i < 8; i++)
            {
                line = (line * 1_664_525) + 1_013_904_223;
                arena.Cold[line % Arena.ColdBytes & ~63u] = 1;
            }

            table.Enter(slot);
            long* page = arena.Shown;
            Await(ref arena.Decided, round);
            if (*page == Poison) Interlocked.Increment(ref arena.Failures);
            table.Leave(slot);
            Volatile.Write(ref arena.Finished, round);
        }
    }

    private static void Await(ref long word, long value)
    {
        for (int spins = 1; Volatile.Read(ref word) < value; spins++)
        {
            if (spins % 20_000 == 0) Thread.Yield();
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
        public long Started;
        public long Decided;
        public long Finished;
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
