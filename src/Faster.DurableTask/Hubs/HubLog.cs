using Microsoft.Extensions.Logging;

namespace Faster.DurableTask.Hubs;

/// <summary>What a hub logs.</summary>
internal sealed partial class HubLog(ILogger logger)
{
    [LoggerMessage(1, LogLevel.Error, "Partition {Partition} has failed; it is opened again at its last commit.")]
    public partial void Failed(int partition, Exception failure);

    [LoggerMessage(2, LogLevel.Warning, "Partition {Partition} is open again.")]
    public partial void Reopened(int partition);

    [LoggerMessage(3, LogLevel.Error, "Partition {Partition} could not be opened again; another attempt follows.")]
    public partial void ReopenFailed(int partition, Exception failure);

    [LoggerMessage(4, LogLevel.Warning, "A commit of partition {Partition} has failed; the next one follows.")]
    public partial void CommitFailed(int partition, Exception failure);

    [LoggerMessage(5, LogLevel.Error, "Slot {Slot} of partition {Partition} can't be read. It is set aside.")]
    public partial void SetAside(int partition, int slot, Exception failure);

    [LoggerMessage(6, LogLevel.Error, "Instance {Instance} of partition {Partition} can't be run; it waits.")]
    public partial void Unreadable(int partition, string instance, Exception failure);

    [LoggerMessage(7, LogLevel.Warning, "Partition {Sender} could not send to {Receiver}; another attempt follows.")]
    public partial void SendFailed(int sender, int receiver, Exception failure);
}
