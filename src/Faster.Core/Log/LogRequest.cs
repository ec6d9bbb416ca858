using Faster.Devices;

namespace Faster.Log;

/// <summary>A request that knows what to do when the device has given it back.</summary>
internal abstract class LogRequest : IoRequest
{
    /// <summary>Called once, on the thread that has polled the request; must neither throw nor wait.</summary>
    public abstract void OnCompleted();

    /// <summary>
    /// Tells each of the requests that it is back, whatever becomes of the others: one that is not told would be
    /// waited for without end.
    /// </summary>
    /// <param name="completed">What was polled; forgotten afterwards.</param>
    /// <param name="onFault">Hears of what a request throws against its contract.</param>
    public static void CompleteAll(Span<IoRequest> completed, Action<Exception> onFault)
    {
        foreach (IoRequest request in completed)
        {
            try
            {
                ((LogRequest)request).OnCompleted();
            }
            catch (Exception e)
            {
                onFault(e);
            }
        }

        completed.Clear();
    }
}
