using System.Runtime.InteropServices;

namespace Faster.Ycsb.Limits;

/// <summary>What is written to and read from the disk while it is measured.</summary>
internal static unsafe class LimitBuffers
{
    /// <summary>The length of one sequential read or write.</summary>
    public const int SequentialBytes = 1 << 20;

    private const nuint Alignment = 4096;

    /// <summary>A length of whole sequential steps, one at least.</summary>
    public static long WholeSteps(long length) =>
        Math.Max(SequentialBytes, length / SequentialBytes * SequentialBytes);

    /// <summary>A buffer for unbuffered transfers, of bytes that no file system takes for a hole.</summary>
    /// <remarks>Freed by the process's end: a few buffers of a program that measures and ends.</remarks>
    public static byte* Allocate(int bytes)
    {
        byte* buffer = (byte*)NativeMemory.AlignedAlloc((nuint)bytes, Alignment);
        new Span<byte>(buffer, bytes).Fill(0x5A);
        return buffer;
    }
}
