using Faster.Devices;

namespace Faster.Log;

/// <summary>A device request with a completion callback.</summary>
internal abstract class LogRequest : IORequest
{
    /// <summary>Called once, on the thread that has polled the request; must neither throw nor wait.</summary>
    public abstract void OnCompleted();

    /// <summary>
    /// Calls <see cref="OnCompleted"/> of each request, whatever the others do: a request that is not notified would be
    /// waited for indefinitely.
    /// </summary>
    /// <param name="completed">The polled requests; cleared afterwards.</param>
    /// <param name="onFault">Called with what a request throws in violation of its contract.</param>
    public static void CompleteAll(Span<IORequest> completed, Action<Exception> onFault)
    {
        foreach (IORequest request in completed)
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
