using Xunit.Sdk;

namespace Faster.Conformance.Contract;

/// <summary>Runs a body on threads of their own.</summary>
public static class Workers
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Runs a body on several threads that begin together, and throws what the first failing one threw. A thread that
    /// was canceled because another one has failed does not count.
    /// </summary>
    public static void Run(int count, Action<int> body)
    {
        var failures = new List<Exception>();
        using var start = new Barrier(count);
        Thread[] threads = [.. Enumerable.Range(0, count).Select(worker => new Thread(() =>
        {
            start.SignalAndWait();
            try
            {
                body(worker);
            }
            catch (Exception failure)
            {
                lock (failures) failures.Add(failure);
            }
        }) { IsBackground = true, Name = $"worker {worker}" })];
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads)
        {
            while (!thread.Join(Grace) && !Failed()) { } // a thread that waits for a failed one is left
        }

        if (!Failed()) return;
        Exception cause = failures.Find(static failure => failure is not OperationCanceledException) ?? failures[0];
        throw new XunitException($"{failures.Count} workers failed: {cause}", cause);

        bool Failed()
        {
            lock (failures) return failures.Count != 0;
        }
    }
}
