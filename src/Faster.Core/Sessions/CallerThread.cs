using System.Runtime.CompilerServices;

namespace Faster.Sessions;

/// <summary>Which thread calls: exactly, and without a call of the runtime.</summary>
internal static class CallerThread
{
    private const int PageBits = 12; // of the smallest page that a system has

    [ThreadStatic]
    private static int _id;
    private static int _last;

    /// <summary>The calling thread's number, above 0; no other thread of the process ever has it.</summary>
    public static int Id => _id != 0 ? _id : _id = Interlocked.Increment(ref _last);

    /// <summary>
    /// The page of the caller's stack that its frame is on, never 0. Two threads that live at the same time never have
    /// the same one; one thread has many, and a later thread may have one of a thread that has ended.
    /// </summary>
    /// <remarks>Two instructions. A thread-static takes a call, which a hit can't have.</remarks>
    public static unsafe nint StackPage
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            byte here = 0; // not more: the JIT would clear it apart
            return (nint)(&here) >> PageBits;
        }
    }
}
