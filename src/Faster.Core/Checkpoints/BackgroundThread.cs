using System.Runtime.InteropServices;

namespace Faster.Checkpoints;

/// <summary>
/// Runs long work that competes with sessions for the processor's cores, such as writing a snapshot, on a thread of its
/// own, to which the system gives less time than to sessions where cores are short.
/// </summary>
/// <remarks>
/// On Linux the thread's niceness rises by 6, which gives it a quarter of the time of a thread that it shares a core
/// with; the threads that it starts inherit that. It can't fall again without a privilege, so the thread is none of a
/// pool. Other systems run it like any other thread. Thread-safe.
/// </remarks>
internal static partial class BackgroundThread
{
    /// <summary>By how much the niceness rises.</summary>
    public const int Niceness = 6;

    /// <summary>Runs work; the task ends with its result, or its exception.</summary>
    /// <param name="name">The thread's name, for debuggers.</param>
    /// <param name="work">The work.</param>
    public static Task<T> Run<T>(string name, Func<T> work)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            // Refused or not: the priority only saves time.
            if (OperatingSystem.IsLinux()) _ = Nice(Niceness);
            try
            {
                done.SetResult(work());
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        }) { IsBackground = true, Name = name }.UnsafeStart();
        return done.Task;
    }

    // On Linux it concerns the calling thread alone.
    [LibraryImport("libc", EntryPoint = "nice")]
    private static partial int Nice(int increment);
}
