using Xunit.Sdk;

namespace Faster.Conformance.Contract;

/// <summary>Runs a body on threads of their own, and does not wait for ever.</summary>
public static class Workers
{
    /// <summary>
    /// Runs a body on each of some threads that begin together, and throws what the first failing one threw.
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
        DateTime end = DateTime.UtcNow + TestBudget.Patience;
        foreach (Thread thread in threads)
        {
            TimeSpan left = end - DateTime.UtcNow;
            if (thread.Join(left > TimeSpan.Zero ? left : TimeSpan.Zero)) continue;
            lock (failures) failures.Add(new XunitException($"{thread.Name} is stuck."));
        }

        lock (failures)
        {
            if (failures.Count == 0) return;
            throw new XunitException($"{failures.Count} workers failed: {failures[0]}", failures[0]);
        }
    }
}
