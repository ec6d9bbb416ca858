using System.Numerics;
using System.Runtime.InteropServices;
using Faster.Workload;

namespace Faster.Ycsb.Limits;

/// <summary>
/// A piece of native memory on huge pages or without them, divided into cache lines: each begins with the number of
/// another, so that all of them form one cycle. Freed when it is disposed of.
/// </summary>
internal sealed unsafe class LimitMemory : IDisposable
{
    private const int LineBytes = 64;
    private const nuint HugePage = 2 << 20;
    private const long Step = 0x5851F42D4C957F2D;

    private readonly long* _start;

    /// <summary>Takes and fills memory.</summary>
    /// <param name="bytes">How much; rounded down to a power of two.</param>
    /// <param name="huge">Whether it should lie in huge pages.</param>
    public LimitMemory(long bytes, bool huge)
    {
        Lines = 1L << BitOperations.Log2((ulong)bytes / LineBytes);
        nuint length = (nuint)(Lines * LineBytes);
        _start = (long*)NativeMemory.AlignedAlloc(length, HugePage);
        IsHuge = Libc.TryAdviseHugePages(_start, length, huge) && huge;
        // A full-period linear congruence modulo a power of two: every line once, in an order no prefetcher guesses.
        for (long line = 0; line < Lines; line++)
            _start[line * (LineBytes / sizeof(long))] = (line * ((Step & ~3) | 1) + 0x9E3779B9) & (Lines - 1);
    }

    /// <summary>How many lines there are, a power of two.</summary>
    public long Lines { get; }

    /// <summary>Whether huge pages were asked for and granted.</summary>
    public bool IsHuge { get; }

    /// <summary>Each read says where the next one goes.</summary>
    public LimitLoop Dependent(int thread)
    {
        long line = Mix(thread) & (Lines - 1);
        return (_, count) =>
        {
            for (int i = 0; i < count; i++)
                line = *At(line);
            return line;
        };
    }

    /// <summary>Reads that do not depend on each other, prefetched so many ahead; 0 for none.</summary>
    public LimitLoop Independent(int ahead) => (first, count) =>
    {
        long sum = 0;
        for (long i = first; i < first + count; i++)
        {
            if (ahead != 0)
                System.Runtime.Intrinsics.X86.Sse.Prefetch0(At(Mix(i + ahead)));
            sum += *At(Mix(i));
        }

        return sum;
    };

    /// <summary>Pairs of reads whose second depends on the first: the shape of a store's hit.</summary>
    public LimitLoop Pairs() => (first, count) =>
    {
        long sum = 0;
        for (long i = first; i < first + count; i++)
            sum += *At(Mix(*At(Mix(i)) + 1));
        return sum;
    };

    /// <summary>Atomic increments at random, of words that no other loop reads.</summary>
    public LimitLoop Increments() => (first, count) =>
    {
        for (long i = first; i < first + count; i++)
            Interlocked.Increment(ref *(At(Mix(i)) + 1));
        return count;
    };

    /// <summary>Atomic increments of one word.</summary>
    public LimitLoop OneLine() => (_, count) =>
    {
        for (int i = 0; i < count; i++)
            Interlocked.Increment(ref *(_start + 1));
        return count;
    };

    /// <inheritdoc/>
    public void Dispose() => NativeMemory.AlignedFree(_start);

    private static long Mix(long number)
    {
        ulong z = (ulong)number * 0x9E3779B97F4A7C15;
        return (long)(z ^ (z >> 29));
    }

    private long* At(long line) => _start + ((line & (Lines - 1)) * (LineBytes / sizeof(long)));
}
