using System.Diagnostics;
using System.Runtime.InteropServices;
using Faster.Epochs;

namespace Faster.Tests.Epochs;

/// <summary>
/// A race on real cores: a writer publishes something and bumps the epoch, a reader enters and takes what it finds.
/// When the bump's action has run while the reader is inside with the old, the announcement came too late.
/// </summary>
/// <remarks>
/// <para>Both start each round together. The reader stays inside until the writer's bump has returned; so an action
/// that has run by then ran under the reader, with no luck needed to see that.</para>
/// <para>One reader, one writer: each member says whose it is.</para>
/// </remarks>
internal abstract unsafe class Litmus
{
    private readonly Words _words = new();

    protected EpochTable Table { get; } = new();

    /// <summary>Plays rounds.</summary>
    /// <param name="goesOn">Asked before each round: the rounds so far, and how many of them failed.</param>
    public LitmusResult Run(Func<long, long, bool> goesOn)
    {
        EpochSlot* slot = Table.Acquire("reader");
        var reader = new Thread(() => Read(slot)) { IsBackground = true };
        reader.UnsafeStart(); // without a probe, which would take time between its store and its reads
        var random = new Random(1);
        long round = 0;
        while (goesOn(round, Volatile.Read(ref _words.Failures)))
        {
            Volatile.Write(ref _words.Started, ++round);
            Await(ref _words.Ready, round); // so the reader has a core just now
            Delay(random);
            Change(round);
            Volatile.Write(ref _words.Decided, round);
            Await(ref _words.Finished, round);
            while (Table.PendingActions > 0) Thread.Yield();
            EndRound();
        }

        Volatile.Write(ref _words.Stop, true);
        Volatile.Write(ref _words.Started, round + 1);
        reader.Join();
        return new LitmusResult(round, _words.Failures, _words.Raced);
    }

    /// <summary>Reader: prepares for the round, while nothing changes; outside the epoch at its end.</summary>
    protected abstract void Prepare(EpochSlot* slot);

    /// <summary>Reader: enters, and takes what the epoch protects.</summary>
    /// <returns>Whether it entered in the way that is under test, and took the old.</returns>
    protected abstract bool TryTake(EpochSlot* slot);

    /// <summary>Reader: whether the action has run, asked inside the epoch, after the writer's bump.</summary>
    protected abstract bool HasRun();

    /// <summary>Writer: publishes, and bumps.</summary>
    protected abstract void Change(long round);

    /// <summary>Writer: the action has run and the reader is outside.</summary>
    protected virtual void EndRound() { }

    private void Read(EpochSlot* slot)
    {
        const uint coldBytes = 64 << 20;
        byte* cold = (byte*)NativeMemory.AllocZeroed(coldBytes);
        NativeMemory.Fill(cold, coldBytes, 1); // a page fault in the race would drain the store buffer
        var random = new Random(2);
        uint line = 1;
        for (long round = 1; ; round++)
        {
            Await(ref _words.Started, round);
            if (Volatile.Read(ref _words.Stop)) break;
            Prepare(slot);
            Volatile.Write(ref _words.Ready, round);
            Delay(random);

            // Stores that miss every cache keep the announcement waiting behind them in the store buffer.
            for (int i = 0; i < 32; i++)
            {
                line = (line * 1_664_525) + 1_013_904_223;
                cold[line % coldBytes & ~63u] = 1;
            }

            bool took = TryTake(slot);
            Await(ref _words.Decided, round);
            if (took) _words.Raced++;
            if (took && HasRun()) Volatile.Write(ref _words.Failures, _words.Failures + 1);
            Table.Leave(slot);
            Volatile.Write(ref _words.Finished, round);
        }

        NativeMemory.Free(cold);
    }

    // Up to some microseconds for each side: so both orders come, and all that lies between them. A delay behind the
    // cold stores would be one in which they end.
    private void Delay(Random random)
    {
        for (int delay = random.Next(4_000); delay > 0; delay--) _ = Volatile.Read(ref _words.Stop);
    }

    private static void Await(ref long word, long value)
    {
        for (int spins = 1; Volatile.Read(ref word) < value; spins++)
        {
            if (spins % 20_000 == 0) Thread.Yield();
        }
    }

    private sealed class Words
    {
        public long Failures, Raced, Started, Ready, Decided, Finished;
        public bool Stop;
    }
}

/// <summary>What came of some rounds.</summary>
/// <param name="Rounds">How many there were.</param>
/// <param name="Failures">How many times the action ran under the reader.</param>
/// <param name="Raced">How many times the reader entered in the way under test and took the old.</param>
internal readonly record struct LitmusResult(long Rounds, long Failures, long Raced);
