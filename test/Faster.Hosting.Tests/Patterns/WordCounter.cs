using Microsoft.AspNetCore.Components;

namespace Faster.Hosting.Tests.Patterns;

/// <summary>A component of Blazor, as the guide shows it.</summary>
public sealed class WordCounter : ComponentBase
{
    [Inject]
    public required Words.Store Store { get; init; }

    public long Count { get; private set; }

    public async Task OnClickAsync()
    {
        await using Words.Session session = Store.StartSession();
        await session.RmwAsync("clicks", 1);
        Count = (await session.ReadAsync("clicks")).Value;
    }
}
