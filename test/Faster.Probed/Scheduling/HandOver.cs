using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Faster.Tests.Scheduling;

/// <summary>
/// Stops one thread until another lets it run: a futex on Linux, at a third of the cost of a monitor (an exploration is
/// mostly switches); elsewhere a monitor. Never spins: while one thread runs, all others are stopped.
/// </summary>
/// <remarks>One thread waits at a time. Orders memory. The word is pinned, and lives as long as this.</remarks>
internal sealed unsafe class HandOver
{
    private const int Wait = 0 | Private, Wake = 1 | Private, Private = 128;

    private static readonly int Call = (OperatingSystem.IsLinux(), RuntimeInformation.ProcessArchitecture) switch
    {
        (true, Architecture.X64) => 202,
        (true, Architecture.Arm64) => 98,
        _ => 0,
    };

    private readonly int[] _word = GC.AllocateArray<int>(1, pinned: true); // 1: may run

    private int* Word => (int*)Marshal.UnsafeAddrOfPinnedArrayElement(_word, 0);

    /// <summary>Lets the thread run that waits or will wait next.</summary>
    public void Resume()
    {
        if (Call != 0)
        {
            Volatile.Write(ref _word[0], 1);
            _ = Futex(Call, Word, Wake, 1, 0, 0, 0);
            return;
        }

        lock (_word)
        {
            _word[0] = 1;
            Monitor.Pulse(_word);
        }
    }

    /// <summary>Stops the calling thread until it is resumed or the time is over.</summary>
    /// <returns>Whether it was resumed.</returns>
    public bool Park(TimeSpan? limit = null)
    {
        if (Call == 0) return ParkByMonitor(limit ?? Timeout.InfiniteTimeSpan);
        long* time = stackalloc long[2]; // seconds and nanoseconds
        if (limit is { } most)
            (time[0], time[1]) = (most.Ticks / TimeSpan.TicksPerSecond, most.Ticks % TimeSpan.TicksPerSecond * 100);
        long since = limit is null ? 0 : Stopwatch.GetTimestamp();
        while (Interlocked.Exchange(ref _word[0], 0) == 0)
        {
            if (limit is not null && Stopwatch.GetElapsedTime(since) >= limit) return false;
            _ = Futex(Call, Word, Wait, 0, limit is null ? 0 : (nint)time, 0, 0);
        }

        return true;
    }

    private bool ParkByMonitor(TimeSpan limit)
    {
        lock (_word)
        {
            while (_word[0] == 0)
                if (!Monitor.Wait(_word, limit)) return false;
            _word[0] = 0;
            return true;
        }
    }

    [DllImport("libc", EntryPoint = "syscall")]
    private static extern nint Futex(nint call, int* word, nint what, nint value, nint timeout, nint other, nint more);
}
