using Faster.Hosting.Tests.Patterns;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Faster.Hosting.Tests;

/// <summary>What the guide shows for scopes that live long is what is compiled here, and works.</summary>
public sealed class PatternTests
{
    [Fact]
    public void The_guide_shows_the_patterns_as_they_are_compiled()
    {
        string root = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(root, "Faster.sln"))) root = Path.GetDirectoryName(root)!;
        string page = File.ReadAllText(Path.Combine(root, "docs", "guide", "hosting.md"));
        string[] files = Directory.GetFiles(Path.Combine(root, "test", "Faster.Hosting.Tests", "Patterns"));
        Assert.Equal(3, files.Length);
        foreach (string code in files.Select(File.ReadAllText))
            Assert.Contains(code[code.IndexOf("public sealed class ", StringComparison.Ordinal)..], page);
    }

    [Fact]
    public async Task The_patterns_count()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddFaster<Words.Store>(static settings => settings.Path = "");
        builder.Services.AddHostedService<Sweeper>();
        builder.Services.AddScoped<WordHub>();
        using IHost host = builder.Build();
        await host.StartAsync();
        Words.Store store = host.Services.GetRequiredService<Words.Store>();
        for (long call = 1; call <= 3; call++)
        {
            await using AsyncServiceScope scope = host.Services.CreateAsyncScope();
            Assert.Equal(call, await scope.ServiceProvider.GetRequiredService<WordHub>().CountAsync("calls"));
        }

        var component = new WordCounter { Store = store };
        await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => component.OnClickAsync()));
        await using Words.Session session = store.StartSession();
        Assert.Equal(10, (await session.ReadAsync("clicks")).Value);
        while ((await session.ReadAsync("sweeps")).Value != 1) await Task.Yield();
        await host.StopAsync();
    }
}
