namespace Faster.Tiers;

/// <summary>A tier's thread for I/O, as the tier knows it: it continues operations when their reads are done.</summary>
internal interface IIOThread : IDisposable
{
    /// <summary>Starts the thread.</summary>
    void Start();

    /// <summary>Makes the thread look for work.</summary>
    void Wake();
}
